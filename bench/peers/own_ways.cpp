// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_matmul, with an rhs as it lies and prepacked, and tw_mmt4d on packed
// operands.

#include <algorithm>
#include <cstring>

#include "bench/peers/way.h"
#include "tilewright/tilewright.h"

namespace tilewright::bench {
namespace {

class Own {
 public:
  explicit Own(Matrices& matrices) : m_(matrices) {
    preparePlain();
    preparePrepacked();
    preparePacked();
  }
  tw_status_t status() const { return status_; }

  void plain() { tw_matmul(&plain_, nullptr); }
  void prepacked() { tw_matmul(&prepacked_, nullptr); }
  void packed() { tw_mmt4d(&mmt4d_, nullptr); }
  // The result of packed(), row-major.
  const uint8_t* unpacked() {
    packed();
    note(tw_unpack(&packOut_, mmt4d_.out_buffer, outBytes_, unpacked_.get(),
                   nullptr));
    return unpacked_.get();
  }

 private:
  void note(tw_status_t status) {
    if (status_ == TW_STATUS_OK) status_ = status;
  }

  void preparePlain() {
    plain_.lhs = m_.a.get();
    plain_.rhs = m_.b.get();
    plain_.out = m_.c.get();
    plain_.lhs_stride = m_.K;
    plain_.rhs_stride = plain_.out_stride = m_.N;
    plain_.M = m_.M;
    plain_.N = m_.N;
    plain_.K = m_.K;
    plain_.flags = m_.types.value;
    plain_.threads = 1;
  }

  void preparePrepacked() {
    prepacked_ = plain_;
    note(tw_prepacked_size(&plain_, &prepacked_.rhs_bytes));
    panels_ = allocateAligned(prepacked_.rhs_bytes);
    note(tw_prepack(&plain_, panels_.get(), prepacked_.rhs_bytes, nullptr));
    prepacked_.rhs = panels_.get();
    prepacked_.flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
    note(tw_matmul_workspace_size(&plain_, &plain_.workspace_bytes));
    note(tw_matmul_workspace_size(&prepacked_, &prepacked_.workspace_bytes));
    workspace_ = allocateAligned(
        std::max(plain_.workspace_bytes, prepacked_.workspace_bytes) + 64);
    plain_.workspace = prepacked_.workspace = workspace_.get();
  }

  void preparePacked() {
    tw_tile_form_t form = {{1, 1, 1}, 0};
    note(tw_query_tile_form(m_.types.value, m_.M, m_.N, nullptr, &form));
    const tw_tile_sizes_t& sizes = form.sizes;
    note(tw_fill_mmt4d_params(m_.types.value, m_.M, m_.N, m_.K, &sizes,
                              &mmt4d_));
    mmt4d_.flags |= form.flags;
    const uint32_t vnni =
        form.flags & TW_MMT4D_FLAG_RHS_VNNI ? TW_PACK_FLAG_VNNI : 0;
    const tw_pack_params_t lhs = {m_.types.lhs, 0,        m_.M,     m_.K,
                                  m_.K,         sizes.M0, sizes.K0, 0};
    const tw_pack_params_t rhs = {m_.types.rhs, TW_PACK_FLAG_TRANSPOSE | vnni,
                                  m_.N,         m_.K,
                                  m_.N,         sizes.N0,
                                  sizes.K0,     0};
    packOut_ = {m_.types.out, 0, m_.M, m_.N, m_.N, sizes.M0, sizes.N0, 0};
    lhs_ = pack(lhs, m_.a.get());
    rhs_ = pack(rhs, m_.b.get());
    note(tw_packed_size(&packOut_, &outBytes_));
    // As warm as what peers write, where it has room in the same place.
    if (outBytes_ > m_.outBytes()) out_ = allocateAligned(outBytes_);
    uint8_t* out = out_ ? out_.get() : m_.c.get();
    unpacked_ = allocateAligned(m_.outBytes());
    mmt4d_.lhs_buffer = lhs_.get();
    mmt4d_.rhs_buffer = rhs_.get();
    mmt4d_.out_buffer = out;
  }

  AlignedBytes pack(const tw_pack_params_t& params, const void* matrix) {
    tw_index_t bytes = 0;
    note(tw_packed_size(&params, &bytes));
    AlignedBytes packed = allocateAligned(bytes);
    note(tw_pack(&params, matrix, packed.get(), bytes, nullptr));
    return packed;
  }

  Matrices& m_;
  tw_status_t status_ = TW_STATUS_OK;
  tw_matmul_params_t plain_ = {}, prepacked_ = {};
  tw_mmt4d_params_t mmt4d_ = {};
  tw_pack_params_t packOut_ = {};
  tw_index_t outBytes_ = 0;
  AlignedBytes panels_, workspace_, lhs_, rhs_, out_, unpacked_;
};

}  // namespace

std::string addOwnWays(Matrices& matrices, std::vector<Way>& ways) {
  auto own = std::make_shared<Own>(matrices);
  if (own->status() != TW_STATUS_OK) return tw_status_message(own->status());
  const uint8_t* c = matrices.c.get();
  ways.push_back(
      {"tilewright", "tw_matmul", Ahead::kNothing, [own] { own->plain(); }, c});
  ways.push_back({"tilewright", "tw_matmul prepacked", Ahead::kRhs,
                  [own] { own->prepacked(); }, c});
  ways.push_back({"tilewright", "tw_mmt4d", Ahead::kBoth,
                  [own] { own->packed(); }, own->unpacked()});
  return own->status() == TW_STATUS_OK ? "" : tw_status_message(own->status());
}

}  // namespace tilewright::bench
