import type { AccountsOptions } from '@latchkey/accounts'

/** The mailer, the texts of mails, and their links. */
export type MailsOptions = Omit<AccountsOptions['mails'], 'baseUrl'>
