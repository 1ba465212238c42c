/**
 * Characters that a column, an encoding, a collation or a form might change: white space, letter case, accents, line
 * breaks, SQL punctuation.
 */
export const anyText =
  ' Mixed CASE \u00e4\u00df \u00e9 e\u0301 \u043a\u043b\u044e\u0447 \u4e2d\u6587 \u{1f600} \r\n \r \n \t {"a":"\\u0000"} \'"`\\%_$1 end '
