import { readRequestsPerAddress } from '../mail/asking-addresses.ts'
import { readMailLinks } from '../mail/mail-links.ts'
import { createMailWriter } from '../mail/mail-writer.ts'
import type { AccountsOptions } from './accounts-options.ts'
import { checkUndoDays, readDataExport, readDeletion } from './read-account-life.ts'
import { readNewDevice } from './read-options.ts'

/**
 * Checks options as `createAccounts` does: for who takes them as options of its own, and opens the accounts later.
 *
 * @throws TypeError that names what is unknown or cannot be used.
 */
export function checkAccountLife({
  mails,
  deletion,
  dataExport,
  undoDays,
}: Pick<AccountsOptions, 'mails' | 'deletion' | 'dataExport' | 'undoDays'>): void {
  createMailWriter(mails)
  readMailLinks('https://example.com', mails?.links)
  readNewDevice(mails)
  readRequestsPerAddress(mails)
  readDeletion(deletion)
  readDataExport(dataExport)
  if (undoDays !== undefined) checkUndoDays(undoDays)
}
