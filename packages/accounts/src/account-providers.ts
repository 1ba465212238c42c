import { checkAttempt } from './attempt.ts'
import { checkOwner } from './check-owner.ts'
import type { AccountsContext } from './context/accounts-context.ts'
import type { Refusal } from './errors.ts'
import type { LinkedProvider } from './providers/linked-provider.ts'
import type { SignInResult } from './use-cases/continue-sign-in.ts'
import type { SignInSuccess } from './use-cases/open-credentials.ts'
import { confirmProvider } from './use-cases/providers/confirm-provider.ts'
import { endProviderSessions } from './use-cases/providers/end-provider-sessions.ts'
import { importProviderLink } from './use-cases/providers/import-provider-link.ts'
import { linkProvider } from './use-cases/providers/link-provider.ts'
import { linkedProviders } from './use-cases/providers/list-providers.ts'
import type {
  ConfirmProviderInput,
  EndProviderSessionsInput,
  ImportProviderLinkInput,
  ProviderChangeResult,
  ProviderInput,
  SignInWithProviderInput,
  UnlinkProviderInput,
} from './use-cases/providers/provider-inputs.ts'
import { signInWithProvider } from './use-cases/providers/sign-in-with-provider.ts'
import { unlinkProvider } from './use-cases/providers/unlink-provider.ts'

/**
 * Signing in with providers: what `Accounts` can do when it was given `providers`. Without it each of these but the list throws
 * `OPERATION_UNAVAILABLE`. An account is found by `issuer` and `subject` of a provider alone, and never by an address.
 *
 * What adds or removes a link ends all sessions and families but the one of the request, whose credential is renewed as by
 * `changePassword`, mails the owner, and is an event. Only `linkProvider` asks for a fresh proof by itself: for the others that is the
 * rule of who calls.
 */
export interface AccountProviders {
  /**
   * Signs in with the verdict on a callback in place of the password. Who is linked to no account gets a new one where
   * `providers.newAccounts` says so.
   * @returns as `signIn`: an account with a second factor is asked for it. Refused is also a callback that was begun with a `binding`.
   * @throws AccountsError DELIVERY_NOT_ALLOWED, EMAIL_IN_USE, EMAIL_UNVERIFIED, OPERATION_UNAVAILABLE. TypeError when it is no verdict
   * that is `ok`.
   */
  signInWithProvider(input: SignInWithProviderInput): Promise<SignInResult>
  /**
   * Takes the callback of a provider as a fresh proof of who is signed in, and renews the credential as `confirmPassword` does.
   * It was begun with `confirm:` and the key of the session as `binding`, and the user has signed in at the provider within 300 seconds.
   * @returns `reason: 'invalid-credentials'` for a callback of another session, of a user who is not linked to the account,
   * and one that is not fresh or says no time.
   * @throws AccountsError DELIVERY_NOT_ALLOWED, OPERATION_UNAVAILABLE. TypeError as above.
   */
  confirmProvider(input: ConfirmProviderInput): Promise<SignInSuccess | Refusal<'invalid-credentials'>>
  /**
   * Links the user of a provider to the account, by a callback that was begun with `link:` and the key of the session as `binding`. One
   * user of a provider is linked to one account.
   * @returns `reason: 'invalid-credentials'` for a callback of another session or purpose, and where `identity.factors` has no proof of
   * at most 300 seconds: a second factor where the account has one, else its first factor.
   * @throws AccountsError PROVIDER_IN_USE, OPERATION_UNAVAILABLE. TypeError as above.
   */
  linkProvider(input: ProviderInput): Promise<ProviderChangeResult>
  /**
   * Links a user of a provider to an account without their callback, for accounts that are moved here: nothing is proven, so call it for
   * trusted data only. It ends no session and sends no mail. Repeated, it returns the link that is there. `null`: the account does not
   * exist.
   * @throws AccountsError PROVIDER_IN_USE if the user is linked to another account; nothing has changed. OPERATION_UNAVAILABLE.
   * TypeError for what is no issuer, subject or time.
   */
  importProviderLink(input: ImportProviderLinkInput): Promise<LinkedProvider | null>
  /**
   * Removes a link of the account. `null`: it has none with this id.
   * @throws AccountsError LAST_SIGN_IN_METHOD where the account has no password, no other link and no passkey that verifies its user, and no codes are
   * mailed; then the link is there, and other sessions have ended only where another change came at the same time. OPERATION_UNAVAILABLE.
   */
  unlinkProvider(input: UnlinkProviderInput): Promise<ProviderChangeResult | null>
  /** Returns the links of an account, the oldest first. */
  linkedProviders(subject: string): Promise<readonly LinkedProvider[]>
  /**
   * Ends the sessions and families that came of a sign-in at a provider, after a logout there (OpenID Connect Back-Channel
   * Logout 1.0 §2.7), and returns how many. A sign-in of that session or user which is under way comes to nothing. It can be repeated:
   * where it fails, all that could be ended has ended. Call it in the `end` of `verifyLogoutToken`, so that a token which the provider sends
   * again ends what is left.
   * @throws AccountsError OPERATION_UNAVAILABLE. TypeError for what names neither a user nor a session.
   */
  endProviderSessions(input: EndProviderSessionsInput): Promise<number>
}

export function bindProviders(context: AccountsContext): AccountProviders {
  return {
    signInWithProvider: async (input) => signInWithProvider(context, checkAttempt(input)),
    confirmProvider: async (input) => confirmProvider(context, checkOwner(checkAttempt(input))),
    linkProvider: async (input) => linkProvider(context, checkOwner(checkAttempt(input))),
    importProviderLink: async (input) => importProviderLink(context, checkAttempt(input)),
    unlinkProvider: async (input) => unlinkProvider(context, checkOwner(checkAttempt(input))),
    linkedProviders: (subject) => linkedProviders(context, subject),
    endProviderSessions: async (input) => endProviderSessions(context, checkAttempt(input)),
  }
}
