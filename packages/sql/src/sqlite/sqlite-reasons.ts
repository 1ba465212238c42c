// https://www.sqlite.org/rescode.html: the low byte of an extended code is its primary code.
const byNumber: Readonly<Record<number, string>> = {
  8: 'it is read-only: this user must be able to write its file and its folder',
  10: 'its disk failed',
  11: 'its file is damaged: restore it from a backup',
  13: 'its disk is full',
  14: 'its file cannot be opened: the folder must exist, and this user must be able to write there',
  26: 'its file is not a SQLite database: the path may be that of another file',
}

const byName: Readonly<Record<string, string>> = {
  SQLITE_READONLY: byNumber[8] ?? '',
  SQLITE_IOERR: byNumber[10] ?? '',
  SQLITE_CORRUPT: byNumber[11] ?? '',
  SQLITE_FULL: byNumber[13] ?? '',
  SQLITE_CANTOPEN: byNumber[14] ?? '',
  SQLITE_NOTADB: byNumber[26] ?? '',
}

/** Returns why the database failed and what to do about it, for the message of a `StoreError`; the rest is in its cause. */
export function explainSqlite({ number, name }: { readonly number: number; readonly name: string }): string {
  const primary = /^SQLITE_[A-Z]+/.exec(name)?.[0] ?? ''
  const reason = byNumber[number & 0xff] ?? byName[primary]
  return reason === undefined ? 'the database failed, for the reason in "cause"' : `the database failed: ${reason}`
}
