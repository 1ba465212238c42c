import { grantRevocation } from '../page-kit/applications.ts'
import type { OfferedParts } from '../page-kit/page-offers.ts'
import type { Page } from '../page-kit/page-parts.ts'
import { deletionPage } from './deletion/deletion-page.ts'
import { devicesPage, endingOfAllOthers, endingOfOne } from './devices/devices-page.ts'
import { confirmEmailChangePage } from './email-change/confirm-email-change-page.ts'
import { emailPage } from './email-change/email-page.ts'
import { undoEmailChangePage } from './email-change/undo-email-change-page.ts'
import { signInCodePage } from './email-code/sign-in-code-page.ts'
import { impersonationEnd } from './impersonation/impersonation-page.ts'
import { consentPage } from './oauth/consent-page.ts'
import { deviceAllowed, deviceDecision, deviceDenied, devicePage } from './oauth/device-page.ts'
import { passkeyAddition, passkeyCreation } from './passkeys/passkey-addition.ts'
import { passkeyRemoval, passkeyRenaming, passkeysPage } from './passkeys/passkeys-page.ts'
import { passwordPage } from './password/password-page.ts'
import { resetPage } from './password/reset-page.ts'
import { accountPage } from './profile/account-page.ts'
import { exportPage } from './profile/export-page.ts'
import { namePage } from './profile/name-page.ts'
import { providerCallback } from './providers/callback-page.ts'
import { confirmProviderPage, confirmWith } from './providers/confirm-provider-page.ts'
import { providerLogout } from './providers/logout-endpoint.ts'
import { providerLinking, providersPage, providerUnlinking } from './providers/providers-page.ts'
import { signInWith } from './providers/sign-in-with.ts'
import { recoveryCodesPage } from './second-factors/recovery-codes-page.ts'
import { totpConfirmation, totpStart } from './second-factors/totp-enrollment.ts'
import { totpPage, totpRemoval } from './second-factors/totp-page.ts'
import { passkeyForm, passkeyStart } from './sign-in/passkey-forms.ts'
import { secondFactorPage } from './sign-in/second-factor-page.ts'
import { signInPage } from './sign-in/sign-in-page.ts'
import { signOutForm } from './sign-in/sign-out-form.ts'
import { signUpPage } from './sign-up/sign-up-page.ts'
import { verifyPage } from './sign-up/verify-page.ts'
import { confirmPasswordPage } from './step-up/confirm-password-page.ts'
import { stepUpForm } from './step-up/further-factor.ts'

/**
 * Which pages look at the session cookie: those of links do not, because any user opens them, perhaps from a mail. They are closed
 * while an administrator acts as an account. What is posted to those of a provider comes from its site, or from no browser.
 */
export type PageKind = 'link' | 'account' | 'provider'

/** What a page is for: without that part there is no such page. */
export type PageNeed = keyof OfferedParts | null

export type PageEntry = readonly [path: string, kind: PageKind, needs: PageNeed, page: Page]

/** What an administrator who acts as an account may open: who that is, and the ways out. */
export const pagesOfImpersonators: ReadonlySet<string> = new Set(['/account', '/sign-out', '/impersonation/end'])

/** Every page by its path; `:name` stands for the name of a provider. */
// biome-ignore format: it is read by its columns
export const pages: readonly PageEntry[] = [
  ['/sign-in',                  'account', null,       signInPage],
  ['/sign-in-code',             'account', 'emailCode', signInCodePage],
  ['/sign-in/with/:name',       'account', 'providers', signInWith],
  ['/sign-in/with/:name/callback', 'provider', 'providers', providerCallback],
  ['/sign-in/with/:name/logout', 'provider', 'providers', providerLogout],
  ['/sign-out',                 'account', null,       signOutForm],
  ['/second-factor',            'account', null,       secondFactorPage],
  ['/confirm-password',         'account', null,       confirmPasswordPage],
  ['/confirm-provider',         'account', 'providers', confirmProviderPage],
  ['/confirm-provider/with/:name', 'account', 'providers', confirmWith],
  ['/passkey',                  'account', 'passkeys', passkeyForm],
  ['/passkey/start',            'account', 'passkeys', passkeyStart],
  ['/account',                  'account', null,       accountPage],
  ['/account/name',             'account', null,       namePage],
  ['/account/email',            'account', 'email',    emailPage],
  ['/account/password',         'account', null,       passwordPage],
  ['/account/export',           'account', null,       exportPage],
  ['/account/delete',           'account', 'deletion', deletionPage],
  ['/account/totp',             'account', 'totp',     totpPage],
  ['/account/totp/start',       'account', 'totp',     totpStart],
  ['/account/totp/confirm',     'account', 'totp',     totpConfirmation],
  ['/account/totp/remove',      'account', 'totp',     totpRemoval],
  ['/account/recovery-codes',   'account', null,       recoveryCodesPage],
  ['/account/passkeys',         'account', 'passkeys', passkeysPage],
  ['/account/passkeys/start',   'account', 'passkeys', passkeyCreation],
  ['/account/passkeys/add',     'account', 'passkeys', passkeyAddition],
  ['/account/passkeys/rename',  'account', 'passkeys', passkeyRenaming],
  ['/account/passkeys/remove',  'account', 'passkeys', passkeyRemoval],
  ['/account/providers',        'account', 'providers', providersPage],
  ['/account/providers/:name/link', 'account', 'providers', providerLinking],
  ['/account/providers/unlink', 'account', 'providers', providerUnlinking],
  ['/account/applications/revoke', 'account', 'oauth', grantRevocation],
  ['/impersonation/end',        'account', 'impersonation', impersonationEnd],
  ['/devices',                  'account', null,       devicesPage],
  ['/devices/end',              'account', null,       endingOfOne],
  ['/devices/end-others',       'account', null,       endingOfAllOthers],
  ['/step-up',                  'account', null,       stepUpForm],
  ['/consent',                  'account', 'oauth',    consentPage],
  ['/device',                   'account', 'oauth',    devicePage],
  ['/device/decision',          'account', 'oauth',    deviceDecision],
  ['/device/allowed',           'account', 'oauth',    deviceAllowed],
  ['/device/denied',            'account', 'oauth',    deviceDenied],
  ['/sign-up',                  'link',    'signUp',   signUpPage],
  ['/verify',                   'link',    null,       verifyPage],
  ['/reset',                    'link',    null,       resetPage],
  ['/confirm-email-change',     'link',    'email',    confirmEmailChangePage],
  ['/undo-email-change',        'link',    'email',    undoEmailChangePage],
]
