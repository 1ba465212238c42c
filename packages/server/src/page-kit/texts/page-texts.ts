import type { ProviderTexts } from './provider-texts.ts'

/** Texts of all pages in one language, by page. Pages replace placeholders like `{name}`. */
export interface PageTexts extends ProviderTexts {
  readonly 'field.email': string
  readonly 'field.password': string
  readonly 'field.new-password-hint': string
  /** The same, if the password policy says how long a password must be. */
  readonly 'field.new-password-rule': string

  readonly 'sign-in.title': string
  readonly 'sign-in.submit': string
  readonly 'sign-in.wrong': string
  readonly 'sign-in.incomplete': string
  readonly 'sign-in.passkey': string
  readonly 'sign-in.client': string
  readonly 'sign-in.again': string
  readonly 'sign-in.forgotten': string
  readonly 'sign-in.sign-up': string
  readonly 'sign-in.by-code': string

  readonly 'sign-in-code.title': string
  readonly 'sign-in-code.why': string
  readonly 'sign-in-code.no-address': string
  readonly 'sign-in-code.ask': string
  readonly 'sign-in-code.back': string
  readonly 'sign-in-code.sent': string
  readonly 'sign-in-code.code': string
  readonly 'sign-in-code.wrong': string
  readonly 'sign-in-code.incomplete': string
  readonly 'sign-in-code.again': string

  readonly 'sign-up.title': string
  readonly 'sign-up.name': string
  readonly 'sign-up.password': string
  readonly 'sign-up.submit': string
  readonly 'sign-up.incomplete': string
  readonly 'sign-up.sign-in': string
  readonly 'signed-up.again': string
  readonly 'signed-up.title': string
  readonly 'signed-up.text': string

  readonly 'second-factor.title': string
  /** The password was correct. */
  readonly 'second-factor.why': string
  /** The first step was not a password but a code, link or provider. */
  readonly 'second-factor.next': string
  /** An action of a signed-in user needs a fresh second factor. */
  readonly 'second-factor.again': string
  readonly 'second-factor.code': string
  readonly 'second-factor.recovery-code': string
  readonly 'second-factor.hint': string
  readonly 'second-factor.remember': string
  readonly 'second-factor.submit': string
  readonly 'second-factor.wrong': string
  readonly 'second-factor.incomplete': string
  readonly 'second-factor.passkey': string
  readonly 'second-factor.restart': string
  readonly 'second-factor.back': string
  readonly 'second-factor.client': string

  readonly 'confirm-password.title': string
  readonly 'confirm-password.why': string
  readonly 'confirm-password.submit': string
  readonly 'confirm-password.wrong': string
  readonly 'confirm-password.incomplete': string

  readonly 'step-up.client': string
  readonly 'step-up.submit': string
  readonly 'step-up.none': string
  readonly 'step-up.set-up': string
  readonly 'step-up.skip': string

  readonly 'consent.title': string
  readonly 'consent.who': string
  readonly 'consent.scopes': string
  readonly 'consent.new-scopes': string
  readonly 'consent.known-scopes': string
  readonly 'consent.target': string
  readonly 'consent.allow': string
  readonly 'consent.deny': string
  readonly 'consent.other-account': string
  readonly 'consent.undecided': string
  readonly 'consent.changed': string

  readonly 'scope.openid': string
  readonly 'scope.profile': string
  readonly 'scope.email': string
  readonly 'scope.offline_access': string

  readonly 'request-over.title': string
  readonly 'request-over.text': string
  readonly 'request-error.title': string
  readonly 'request-error.text': string

  readonly 'device.title': string
  readonly 'device.why': string
  readonly 'device.code': string
  readonly 'device.submit': string
  readonly 'device.wrong': string
  readonly 'device.incomplete': string

  readonly 'device-consent.title': string
  readonly 'device-consent.why': string
  readonly 'device-allowed.title': string
  readonly 'device-allowed.text': string
  readonly 'device-denied.title': string
  readonly 'device-denied.text': string
  readonly 'device-over.title': string
  readonly 'device-over.text': string

  readonly 'log-out.title': string
  readonly 'log-out.client': string
  readonly 'log-out.why': string
  readonly 'log-out.stay': string
  readonly 'logged-out.title': string
  readonly 'logged-out.text': string
  readonly 'logged-out.sign-in': string

  readonly 'passkey.use': string
  readonly 'passkey.failed': string
  readonly 'passkey.elsewhere': string

  readonly 'account.title': string
  readonly 'account.signed-in-as': string
  readonly 'account.role': string
  /** Leads to the home of the application. */
  readonly 'account.home': string
  readonly 'account.sign-out': string
  readonly 'account.factors': string
  readonly 'account.factors-why': string
  readonly 'account.enrollment-due': string
  readonly 'account.enrollment-overdue': string
  readonly 'account.totp': string
  readonly 'account.passkeys': string
  readonly 'account.recovery-codes': string
  readonly 'account.factor-since': string
  readonly 'account.factor-disabled': string
  readonly 'account.factor-none': string

  readonly 'impersonation.title': string
  readonly 'impersonation.acting-as': string
  readonly 'impersonation.why': string
  readonly 'impersonation.end': string
  readonly 'devices.title': string
  readonly 'devices.why': string
  readonly 'devices.this': string
  readonly 'devices.unknown': string
  readonly 'devices.browser': string
  readonly 'devices.application': string
  /** A session of an administrator who acts as the account. */
  readonly 'devices.support': string
  readonly 'devices.facts': string
  readonly 'devices.address': string
  readonly 'devices.end': string
  readonly 'devices.alone': string
  readonly 'devices.end-others': string
  readonly 'account.own': string
  readonly 'account.name': string
  readonly 'account.email': string
  readonly 'account.password': string
  readonly 'account.devices': string
  readonly 'account.providers': string
  readonly 'account.export': string
  readonly 'account.deletion': string

  readonly 'proof.why': string
  readonly 'proof.submit': string

  readonly 'change-name.name': string
  readonly 'change-name.submit': string

  readonly 'change-email.now': string
  readonly 'change-email.new': string
  readonly 'change-email.submit': string
  readonly 'change-email.same': string
  readonly 'email-asked.title': string
  readonly 'email-asked.text': string

  readonly 'change-password.current': string
  readonly 'change-password.new': string
  readonly 'change-password.submit': string
  readonly 'change-password.wrong': string
  readonly 'change-password.incomplete': string
  readonly 'change-password.forgotten': string
  readonly 'password-changed.title': string
  readonly 'password-changed.text': string

  readonly 'export.text': string
  readonly 'export.submit': string

  readonly 'deletion.text': string
  readonly 'deletion.confirm': string
  readonly 'deletion.email': string
  readonly 'deletion.submit': string
  readonly 'deletion.wrong': string
  readonly 'deleted.title': string
  readonly 'deleted.text': string

  readonly 'applications.title': string
  readonly 'applications.why': string
  readonly 'applications.since': string
  readonly 'applications.revoke': string

  readonly 'totp.why': string
  readonly 'totp.since': string
  readonly 'totp.disabled': string
  readonly 'totp.start': string
  readonly 'totp.replace': string
  readonly 'totp.remove-title': string
  readonly 'totp.remove': string
  readonly 'totp.title': string
  readonly 'totp.scan': string
  readonly 'totp.qr': string
  readonly 'totp.type': string
  readonly 'totp.secret': string
  readonly 'totp.open': string
  readonly 'totp.confirm': string
  readonly 'totp.again': string
  readonly 'totp.restart': string

  readonly 'codes.title': string
  readonly 'codes.text': string
  readonly 'codes.label': string
  readonly 'codes.done': string

  readonly 'recovery-codes.why': string
  readonly 'recovery-codes.submit': string

  readonly 'passkeys.why': string
  readonly 'passkeys.none': string
  readonly 'passkeys.since': string
  readonly 'passkeys.remove': string
  readonly 'passkeys.add-title': string
  readonly 'passkeys.name': string
  readonly 'passkeys.name-hint': string
  readonly 'passkeys.add': string
  readonly 'passkeys.rename': string
  readonly 'passkeys.new-name': string
  readonly 'passkeys.name-refused': string
  readonly 'passkeys.gone': string
  readonly 'passkeys.refused': string
  readonly 'passkeys.create-title': string
  readonly 'passkeys.create-text': string
  readonly 'passkeys.create': string
  readonly 'passkeys.unknown': string
  readonly 'passkeys.needs-script': string
  readonly 'passkeys.cancel': string

  readonly 'verify.title': string
  readonly 'verify.whose': string
  readonly 'verify.password': string
  readonly 'verify.password-hint': string
  readonly 'verify.submit': string

  readonly 'verified.title': string
  readonly 'verified.with-password': string
  readonly 'verified.without-password': string
  readonly 'verified.sign-in': string

  readonly 'ask-reset.title': string
  readonly 'ask-reset.why': string
  readonly 'ask-reset.submit': string
  readonly 'ask-reset.sign-in': string
  readonly 'ask-reset.incomplete': string
  readonly 'reset-asked.title': string
  readonly 'reset-asked.text': string
  readonly 'reset-asked.again': string

  readonly 'reset.title': string
  readonly 'reset.password': string
  readonly 'reset.submit': string

  readonly 'reset-done.title': string
  readonly 'reset-done.text': string
  readonly 'reset-done.sign-in': string

  readonly 'confirm-email.title': string
  readonly 'confirm-email.what': string
  readonly 'confirm-email.both': string
  readonly 'confirm-email.submit': string

  readonly 'email-confirmed.title': string
  readonly 'email-confirmed.text': string
  readonly 'email-confirmed.sign-in': string
  readonly 'half-confirmed.title': string
  readonly 'half-confirmed.text': string

  readonly 'undo-email.title': string
  readonly 'undo-email.what': string
  readonly 'undo-email.then': string
  readonly 'undo-email.submit': string

  readonly 'email-undone.title': string
  readonly 'email-undone.text': string

  readonly 'dead-link.title': string
  readonly 'dead-link.text': string
  readonly 'dead-link.confirmed': string
  readonly 'dead-link.sign-up': string
  readonly 'dead-link.email': string
  readonly 'dead-link.undone': string
  readonly 'dead-link.reset': string

  readonly 'failure.forged.title': string
  readonly 'failure.forged.text': string
  readonly 'failure.refused.title': string
  readonly 'failure.refused.text': string
  readonly 'failure.too-many.title': string
  readonly 'failure.too-many.text': string
  readonly 'failure.unavailable.title': string
  readonly 'failure.unavailable.text': string
  readonly 'failure.unexpected.title': string
  readonly 'failure.unexpected.text': string

  readonly 'refusal.EMAIL_INVALID': string
  readonly 'refusal.NAME_INVALID': string
  readonly 'refusal.PASSWORD_REJECTED': string
  readonly 'refusal.EMAIL_UNVERIFIED': string
  readonly 'refusal.EMAIL_IN_USE': string
  readonly 'refusal.PROVIDER_IN_USE': string
  readonly 'refusal.SIGN_UP_CLOSED': string
  readonly 'refusal.DELIVERY_NOT_ALLOWED': string
  readonly 'refusal.FACTOR_UNAVAILABLE': string
  readonly 'refusal.OPERATION_UNAVAILABLE': string
  readonly 'refusal.CANNOT_CHANGE_OWN_ACCOUNT': string
  readonly 'refusal.LAST_ADMINISTRATOR': string
  readonly 'refusal.LAST_SIGN_IN_METHOD': string
  readonly 'refusal.REASON_INVALID': string
  readonly 'refusal.IMPERSONATION_NOT_ALLOWED': string
  readonly 'refusal.NOT_WHILE_IMPERSONATING': string
  readonly 'refusal.ATTEMPTS_RATE_LIMITED': string

  readonly 'password.malformed': string
  readonly 'password.too-long': string
  readonly 'password.too-short': string
  readonly 'password.shorter-than': string
  readonly 'password.common': string
  readonly 'password.predictable': string
  readonly 'password.context': string
  readonly 'password.breached': string
  readonly 'password.unavailable': string
}

/** The name of a text. */
export type PageTextName = keyof PageTexts

/** The texts whose names start with `Page` and a dot. */
export type TextsOf<Page extends string> = Pick<PageTexts, Extract<PageTextName, `${Page}.${string}`>>
