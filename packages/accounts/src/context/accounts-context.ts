import { createEmitter, type Emit } from '@latchkey/core/internal'
import type { AccountsEvent } from '../accounts-event.ts'
import { type BackgroundWork, backgroundOf, createBackgroundWork, type WaitingRequest } from '../background-work.ts'
import { type Challenges, createChallenges } from '../factors/challenges.ts'
import { type AskingAddresses, createAskingAddresses } from '../mail/asking-addresses.ts'
import { createEmailChangeLinks, type EmailChangeLinks } from '../mail/email-change-links.ts'
import { createLinks, type Links } from '../mail/links.ts'
import { createOutgoingMails, type OutgoingMails } from '../mail/outgoing-mail.ts'
import { createPendingAccounts, type PendingAccounts } from '../mail/pending-accounts.ts'
import { createMailPlaces, createRequestedMails, type RequestedMails } from '../mail/requested-mails.ts'
import { createResetLinks, type ResetLinks } from '../mail/reset-links.ts'
import { createProviderSessions, type ProviderSessions } from '../providers/provider-sessions.ts'
import { type AuditedEvent, auditedKinds, type UnauditedEvent } from '../trail/audited-kinds.ts'
import { type AuditRecorder, createAuditRecorder, withoutAuditOnly } from '../trail/create-audit-recorder.ts'
import type { AccountsOptions } from './accounts-options.ts'
import type { AccountLife } from './read-account-life.ts'
import { type ReadOptions, readOptions } from './read-options.ts'
import type { ReadSignIn } from './read-sign-in.ts'

/** The checked options of `createAccounts`, and the parts made from them. */
export interface AccountsContext
  extends Pick<
    ReadOptions,
    | 'accounts'
    | 'passwordHasher'
    | 'passwordPolicy'
    | 'sessions'
    | 'refreshTokens'
    | 'accessTokens'
    | 'opened'
    | 'documents'
    | 'links'
    | 'apiKeys'
    | 'mailLinks'
    | 'notifiesNewDevices'
    | 'signUpRole'
    | 'now'
    | keyof ReadSignIn
    | keyof AccountLife
  > {
  readonly pendingAccounts: PendingAccounts
  readonly resets: ResetLinks
  readonly emailChanges: EmailChangeLinks
  readonly challenges: Challenges
  readonly providerSessions: ProviderSessions
  readonly mails: OutgoingMails
  readonly requestedMails: RequestedMails
  readonly askingAddresses: AskingAddresses
  readonly background: BackgroundWork
  /** Emits what is not audited. */
  readonly emit: Emit<UnauditedEvent>
  /** Records the audited decisions. */
  readonly trail: AuditRecorder<AuditedEvent>
  /** Returns the context for one request: its background work is passed to the request's `waitUntil`. */
  forRequest(request: WaitingRequest): AccountsContext
}

const secondsOfDay = 86_400

/** @throws TypeError that names the option that is missing, unknown or cannot be used. */
export function createContext(options: AccountsOptions): AccountsContext {
  const {
    records,
    storedVersion,
    counters,
    mailer,
    writeMail: write,
    linkSeconds,
    mailDelayMs,
    requestsPerAddress,
    onEvent,
    audit,
    ...rest
  } = readOptions(options)
  const { mailLinks: pages, now } = rest
  const emitter = createEmitter<AccountsEvent>({ onEvent, now })
  const emit: Emit<AccountsEvent> = (decision) => emitter(withoutAuditOnly(decision))
  const trail = createAuditRecorder<AuditedEvent>({ emit: emitter, audit, kinds: auditedKinds })
  const linksOf = (kind: string, ttlSeconds: number, page: string): Links =>
    createLinks({ records, now, kind, ttlSeconds, page })
  const signUps = linksOf('verify', linkSeconds.verifyEmail, pages.verifyEmail)
  const pendingAccounts = createPendingAccounts(records, signUps, storedVersion)
  const resets = createResetLinks(
    records,
    linksOf('reset', linkSeconds.resetPassword, pages.resetPassword),
    storedVersion,
  )
  const undoSeconds = Math.max(rest.emailChange?.undoDays ?? 0, 1) * secondsOfDay
  const emailChanges = createEmailChangeLinks({
    records,
    confirms: linksOf('change', linkSeconds.confirmEmailChange, pages.confirmEmailChange),
    undos: linksOf('undo', undoSeconds, pages.undoEmailChange),
    ttlSeconds: linkSeconds.confirmEmailChange,
    mailDelayMs,
    storedVersion,
    now,
  })
  const challenges = createChallenges({ records, now, storedVersion })
  const providerSessions = createProviderSessions({ records, now, storedVersion })
  const places = createMailPlaces()
  const askingAddresses = createAskingAddresses({ requestsPerAddress, now })
  const shared = createBackgroundWork()
  /** Made again for each request, so its parts keep no state. */
  const contextOver = (background: BackgroundWork): AccountsContext => ({
    ...rest,
    pendingAccounts,
    resets,
    emailChanges,
    challenges,
    providerSessions,
    askingAddresses,
    mails: createOutgoingMails({ counters, mailer, write, mailDelayMs, background, emit }),
    requestedMails: createRequestedMails({ counters, mailer, write, mailDelayMs, background, places, emit }),
    background,
    emit,
    trail,
    forRequest: (request) => contextOver(backgroundOf(request, shared)),
  })
  return contextOver(shared)
}
