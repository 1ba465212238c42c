import { accountPage } from './account/account-page.ts'
import { passkeyAddition, passkeyCreation } from './account/passkey-addition.ts'
import { passkeyRemoval, passkeysPage } from './account/passkeys-page.ts'
import { recoveryCodesPage } from './account/recovery-codes-page.ts'
import { totpConfirmation, totpStart } from './account/totp-enrollment.ts'
import { totpPage, totpRemoval } from './account/totp-page.ts'
import type { Page } from './frame/page-parts.ts'
import { resetPage } from './links/reset-page.ts'
import { verifyPage } from './links/verify-page.ts'
import { confirmPasswordPage } from './sign-in/confirm-password-page.ts'
import { passkeyForm, passkeyStart } from './sign-in/passkey-forms.ts'
import { secondFactorPage } from './sign-in/second-factor-page.ts'
import { signInPage } from './sign-in/sign-in-page.ts'
import { signOutForm } from './sign-in/sign-out-form.ts'

/** Which pages look at the session cookie: those of links do not, because they are opened from mails, by any user. */
export type PageKind = 'link' | 'account'

export type PageEntry = readonly [path: string, kind: PageKind, page: Page]

/** Every page by its path. */
// biome-ignore format: it is read by its columns
export const pages: readonly PageEntry[] = [
  ['/sign-in',                  'account', signInPage],
  ['/sign-out',                 'account', signOutForm],
  ['/second-factor',            'account', secondFactorPage],
  ['/confirm-password',         'account', confirmPasswordPage],
  ['/passkey',                  'account', passkeyForm],
  ['/passkey/start',            'account', passkeyStart],
  ['/account',                  'account', accountPage],
  ['/account/totp',             'account', totpPage],
  ['/account/totp/start',       'account', totpStart],
  ['/account/totp/confirm',     'account', totpConfirmation],
  ['/account/totp/remove',      'account', totpRemoval],
  ['/account/recovery-codes',   'account', recoveryCodesPage],
  ['/account/passkeys',         'account', passkeysPage],
  ['/account/passkeys/start',   'account', passkeyCreation],
  ['/account/passkeys/add',     'account', passkeyAddition],
  ['/account/passkeys/remove',  'account', passkeyRemoval],
  ['/verify',                   'link',    verifyPage],
  ['/reset',                    'link',    resetPage],
]
