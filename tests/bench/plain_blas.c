// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with cblas_sgemm, for peers_bench to stand beside: plain loops.
// plain_sgemm is right, wrong_sgemm is not: they stand for
// `<prefix>cblas_sgemm` of two libraries in one file.

static void tw_multiply(int m, int n, int k, const float* a, int lda,
                        const float* b, int ldb, float* c, int ldc) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i * lda + l] * b[l * ldb + j];
      c[i * ldc + j] = sum;
    }
}

void plain_cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k,
                       float alpha, const float* a, int lda, const float* b,
                       int ldb, float beta, float* c, int ldc) {
  (void)order, (void)trans_a, (void)trans_b, (void)alpha, (void)beta;
  tw_multiply(m, n, k, a, lda, b, ldb, c, ldc);
}

void wrong_cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k,
                       float alpha, const float* a, int lda, const float* b,
                       int ldb, float beta, float* c, int ldc) {
  plain_cblas_sgemm(order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb,
                    beta, c, ldc);
  c[(m - 1) * ldc + n - 1] += 1;
}
