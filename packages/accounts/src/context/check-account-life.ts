import type { AccountsOptions } from './accounts-options.ts'
import { checkUndoDays, readDataExport, readDeletion } from './read-account-life.ts'
import { readMails } from './read-mails.ts'

/**
 * Checks options as `createAccounts` does, for a factory that opens the accounts later.
 *
 * @throws TypeError that names what is unknown or not valid.
 */
export function checkAccountLife({
  mails,
  deletion,
  dataExport,
  emailUndoDays,
}: Pick<AccountsOptions, 'mails' | 'deletion' | 'dataExport' | 'emailUndoDays'>): void {
  readMails(mails)
  readDeletion(deletion)
  readDataExport(dataExport)
  if (emailUndoDays !== undefined) checkUndoDays(emailUndoDays)
}
