s/ *{tw.device = "cpu"}//g
s/, tw.device = "cpu"//g
s/tw.device = "cpu", //g
s/ attributes {tw.devices = .*\] *}//
s/tw.devices = \[[^]]*\],* *//
