import { decodeBase64url, encodeBase64url, sha256 } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'
import {
  createCredential,
  type FactorProof,
  parseCredential,
  type RecordStore,
  type StoredRecord,
  StoreError,
} from '@latchkey/store'
import {
  defineStoredShape,
  isStoredCount,
  isStoredText,
  type StoredCheck,
  storedList,
  storedObject,
  storedOrNull,
  storedOrOmitted,
} from '@latchkey/store/internal'
import { insertFresh } from '../insert-fresh.ts'
import type { ProviderSignIn } from '../providers/provider-sessions.ts'

/** A request for a second factor. It is not a credential. */
export interface Challenge {
  readonly accountId: string
  /** The epoch of the account when the challenge was created. A later epoch invalidates it. */
  readonly epoch: number
  readonly purpose: 'sign-in' | 'step-up' | 'reset'
  /** The factors that were presented before. */
  readonly proven: readonly FactorProof[]
  /** The kinds that may answer. */
  readonly kinds: readonly string[]
  /** The session or family that a step-up is for. */
  readonly sessionKey: string | null
  /** The hash of the password that a reset sets once it is answered. Omitted: it is no reset. */
  readonly passwordHash?: string
  /** The sign-in at a provider that was the first factor. Omitted: the first factor was of another kind. */
  readonly provider?: ProviderSignIn
}

/** A challenge that was read, under its public key. */
export interface OpenChallenge extends Challenge {
  readonly key: string
  /** The text that it was answered with. */
  readonly text: string
  /** As it was read. */
  readonly stored: StoredRecord
}

/** The questions for second factors, each answered once. */
export interface Challenges {
  /** Returns the text to answer with, readable this once. */
  create(challenge: Challenge): Promise<string>
  /** Returns a challenge that can still be answered, unchanged. */
  read(text: string | null): Promise<OpenChallenge | null>
  /**
   * Takes one of the five tries before a code is tested, so codes that are presented in parallel get no more tries.
   * `null`: no try is left, or the challenge is not valid.
   */
  spendTry(challenge: OpenChallenge): Promise<OpenChallenge | null>
  /** Returns the try of a code that was not judged. */
  returnTry(challenge: OpenChallenge): Promise<void>
  /** Removes a challenge. `true` for exactly one caller, who may continue. */
  end(challenge: OpenChallenge): Promise<boolean>
}

interface StoredChallenge extends Challenge {
  readonly secretHash: string
  /** How many codes were tried. */
  readonly tries: number
}

const isStoredPurpose: StoredCheck = (value) => ['sign-in', 'step-up', 'reset'].includes(`${value}`)
const isProvider = storedObject({
  issuer: isStoredText,
  subject: isStoredText,
  sid: storedOrNull(isStoredText),
  since: isStoredCount,
})

const shape = defineStoredShape<StoredChallenge>({
  name: 'challenge',
  members: {
    secretHash: isStoredText,
    accountId: isStoredText,
    epoch: isStoredCount,
    purpose: isStoredPurpose,
    proven: storedList(
      storedObject({ kind: isStoredText, at: isStoredCount, category: storedOrOmitted(isStoredText) }),
    ),
    kinds: storedList(isStoredText),
    sessionKey: storedOrNull(isStoredText),
    passwordHash: storedOrOmitted(isStoredText),
    provider: storedOrOmitted(isProvider),
    tries: isStoredCount,
  },
})

const kind = 'factor'
const ttlMs = 300_000
/** How many codes a challenge can be answered with. */
export const triesAtMost = 5
/** Every swap that is lost is a try that another caller has taken or returned. */
const swapsAtMost = 4 * triesAtMost

export interface ChallengesOptions {
  readonly records: RecordStore
  readonly now: () => number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

export function createChallenges({ records, now, storedVersion }: ChallengesOptions): Challenges {
  async function find(text: string | null): Promise<OpenChallenge | null> {
    const shown = parseCredential(kind, text)
    const stored = shown && (await records.get(shown.key))
    if (!stored || text === null || stored.expiresAt <= now()) return null
    const value = shape.parse(stored.value)
    const digest = decodeBase64url(value.secretHash)
    return digest && isSha256Of(digest, shown.secret) ? toOpen(text, stored, value) : null
  }

  /** Swaps the number of tries, first from the value that was read; `null` if `count` finds no change to make. */
  async function countTries(
    { text, ...read }: OpenChallenge,
    count: (tries: number) => number | null,
  ): Promise<OpenChallenge | null> {
    let found: OpenChallenge | null = { text, ...read }
    for (let made = 0; made < swapsAtMost && found; made++) {
      const { stored }: OpenChallenge = found
      const value = shape.parse(stored.value)
      const tries = count(value.tries)
      if (tries === null || stored.expiresAt <= now()) return null
      const next = { value: shape.format({ ...value, tries }, storedVersion()), expiresAt: stored.expiresAt }
      if (await records.replace(stored, next))
        return { ...found, stored: { ...stored, ...next, version: stored.version + 1 } }
      found = await find(text)
    }
    if (!found) return null
    throw new StoreError('STORE_UNAVAILABLE', 'the record kept changing while it was read')
  }

  return {
    async create(challenge) {
      const { key, secret, text } = createCredential(kind)
      const value: StoredChallenge = { secretHash: encodeBase64url(sha256(secret)), ...challenge, tries: 0 }
      await insertFresh(records, { key, expiresAt: now() + ttlMs, value: shape.format(value, storedVersion()) })
      return text
    },
    async read(text) {
      const found = await find(text)
      return found && shape.parse(found.stored.value).tries < triesAtMost ? found : null
    },
    spendTry: (challenge) => countTries(challenge, (tries) => (tries < triesAtMost ? tries + 1 : null)),
    async returnTry(challenge) {
      await countTries(challenge, (tries) => (tries > 0 ? tries - 1 : null))
    },
    end: ({ key }) => records.remove(key),
  }
}

function toOpen(text: string, stored: StoredRecord, value: StoredChallenge): OpenChallenge {
  const { key } = stored
  const { accountId, epoch, purpose, proven, kinds, sessionKey, passwordHash, provider } = value
  const asked = {
    key,
    text,
    stored,
    accountId,
    epoch,
    purpose,
    proven,
    kinds,
    sessionKey,
    ...(provider && { provider }),
  }
  return passwordHash === undefined ? asked : { ...asked, passwordHash }
}
