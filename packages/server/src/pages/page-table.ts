import { accountPage } from './account/account-page.ts'
import type { Page } from './frame/page-parts.ts'
import { resetPage } from './links/reset-page.ts'
import { verifyPage } from './links/verify-page.ts'
import { signInPage } from './sign-in/sign-in-page.ts'
import { signOutForm } from './sign-in/sign-out-form.ts'

/** Which pages look at the session cookie: those of links do not, because they are opened from mails, by any user. */
export type PageKind = 'link' | 'account'

export type PageEntry = readonly [path: string, kind: PageKind, page: Page]

/** Every page by its path. */
// biome-ignore format: it is read by its columns
export const pages: readonly PageEntry[] = [
  ['/sign-in',   'account', signInPage],
  ['/sign-out',  'account', signOutForm],
  ['/account',   'account', accountPage],
  ['/verify',    'link',    verifyPage],
  ['/reset',     'link',    resetPage],
]
