// https://www.sqlite.org/rescode.html: the low byte of an extended code is its primary code.
const reasons: readonly (readonly [number: number, name: string, reason: string])[] = [
  [8, 'SQLITE_READONLY', 'it is read-only: this user must be able to write its file and its folder'],
  [10, 'SQLITE_IOERR', 'its disk failed'],
  [11, 'SQLITE_CORRUPT', 'its file is damaged: restore it from a backup'],
  [13, 'SQLITE_FULL', 'its disk is full'],
  [
    14,
    'SQLITE_CANTOPEN',
    'its file cannot be opened: the folder must exist, and this user must be able to write there',
  ],
  [26, 'SQLITE_NOTADB', 'its file is not a SQLite database: the path may be that of another file'],
]

/** Returns the reason of a failure and its remedy, for the message of a `StoreError`; the details are in its cause. */
export function explainSqlite({ number, name }: { readonly number: number; readonly name: string }): string {
  const primary = /^SQLITE_[A-Z]+/.exec(name)?.[0]
  const found = reasons.find((known) => known[0] === (number & 0xff) || known[1] === primary)
  return found === undefined ? 'the database failed, for the reason in "cause"' : `the database failed: ${found[2]}`
}
