/** @throws TypeError when it is no id of an account: all of them would share one factor. */
export function checkAccountId(accountId: string): string {
  if (typeof accountId === 'string' && accountId !== '') return accountId
  throw new TypeError('"accountId" must be a text that is not empty')
}
