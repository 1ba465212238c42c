import { encodeBase64url, randomBytes, sha256 } from '@latchkey/bytes'
import { type RecordStore, StoreError } from '@latchkey/store'
import { defineStoredShape, isStoredText, storedOrNull } from '@latchkey/store/internal'
import { type Refused, refused } from './verdicts.ts'

/** The purpose of a challenge. */
export interface Ceremony {
  readonly ceremony: 'registration' | 'sign-in'
  /** `null`: a sign-in with a passkey of any account. */
  readonly accountId: string | null
  /** The key of the session, or of the sign-in, that started the ceremony. */
  readonly binding: string | null
  /** Of a registration: the handle under which the account was offered to the authenticator. */
  readonly userHandle: string | null
}

/** The facts of the request that finishes a ceremony. */
export interface ExpectedCeremony {
  readonly ceremony: Ceremony['ceremony']
  /** Omitted: it may be of every account. */
  readonly accountId?: string
  readonly binding: string | null
  /** The challenge that the caller remembers; omitted: the one that was signed. */
  readonly challenge: string | undefined
}

/** Challenges: random, for one ceremony, used once. */
export interface Challenges {
  /** Stores a ceremony and returns its challenge, 32 random bytes. */
  create(ceremony: Ceremony): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Returns the ceremony to exactly one caller. If it differs from `expected`, it is refused and kept, so that a
   * stranger who has seen a challenge cannot use it up.
   */
  consume(signed: string, expected: ExpectedCeremony): Promise<({ readonly ok: true } & Ceremony) | Refused>
}

const shape = defineStoredShape<Ceremony>({
  name: 'passkey ceremony',
  members: {
    ceremony: (value) => value === 'registration' || value === 'sign-in',
    accountId: storedOrNull(isStoredText),
    binding: storedOrNull(isStoredText),
    userHandle: storedOrNull(isStoredText),
  },
})
const shapeVersion = 1

const challengeBytes = 32
const challengeCharacters = 43

interface ChallengesParts {
  readonly records: RecordStore
  readonly challengeSeconds: number
  readonly now: () => number
}

export function createChallenges({ records, challengeSeconds, now }: ChallengesParts): Challenges {
  return {
    async create(ceremony) {
      const challenge = randomBytes(challengeBytes)
      const key = keyOf(encodeBase64url(challenge))
      const value = shape.format({ ...ceremony, binding: digestOf(ceremony.binding) }, shapeVersion)
      // It belongs to no account: what ends the sessions of one leaves what was begun before it to the epoch.
      const stored = await records.insert({ key, owner: null, expiresAt: now() + challengeSeconds * 1000, value })
      if (!stored) throw new StoreError('STORE_UNAVAILABLE', 'the store refused a key that was never used')
      return challenge
    },
    async consume(signed, { ceremony, accountId, binding, challenge = signed }) {
      if (signed !== challenge || signed.length !== challengeCharacters) return refused('challenge')
      const key = keyOf(signed)
      const record = await records.get(key)
      if (!record || record.expiresAt <= now()) return refused('challenge')
      const begun = shape.parse(record.value)
      if (begun.ceremony !== ceremony) return refused('ceremony')
      if (begun.binding !== digestOf(binding)) return refused('binding')
      if (accountId !== undefined && begun.accountId !== accountId) return refused('account')
      return (await records.remove(key)) ? { ok: true, ...begun } : refused('challenge')
    },
  }
}

function keyOf(challenge: string): string {
  return `pk_${encodeBase64url(sha256(challenge))}`
}

function digestOf(binding: string | null): string | null {
  return binding === null ? null : encodeBase64url(sha256(binding))
}
