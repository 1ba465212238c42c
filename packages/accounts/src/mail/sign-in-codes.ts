import { decodeBase64url, encodeBase64url, equalBytes, hmacSha256, randomBytes } from '@latchkey/bytes'
import {
  type CounterStore,
  createCredential,
  parseCredential,
  type RecordStore,
  type StoredRecord,
} from '@latchkey/store'
import { defineStoredShape, isStoredCount, isStoredText, readTypedCode } from '@latchkey/store/internal'
import { insertFresh } from '../insert-fresh.ts'

/** The account of a code. The code is valid only for the epoch in which it was requested. */
export interface CodeTarget {
  readonly accountId: string
  readonly epoch: number
}

/** A code with the challenge of the browser that presents it. */
export interface PresentedCode {
  /** The challenge that the browser or application got with its request. */
  readonly challenge: string | null
  readonly code: string
}

/** The outcome of a presented code. */
export type CodeOutcome = 'right-factor' | 'factor-wrong' | 'factor-overtaken' | 'challenge-ended' | 'account-changed'

/** The codes of mails: each is for the browser or application that asked for it, and works once. */
export interface SignInCodes {
  readonly lifetimeSeconds: number
  /** Returns a challenge that recognizes the browser of the request, without a write to the store. */
  drawChallenge(): string
  /** Stores a code and returns it, readable this once. */
  create(challenge: string, target: CodeTarget): Promise<string>
  /**
   * Takes one of five tries, whether or not a code exists, then compares, and consumes a right code. Of several right
   * answers in parallel one is accepted; the others are overtaken.
   *
   * @param target the account of the address beside the code; `null`: no account has the address.
   */
  test(shown: PresentedCode, target: CodeTarget | null): Promise<CodeOutcome>
}

interface StoredCode extends CodeTarget {
  /**
   * The HMAC of the code under the secret of the challenge. That is not stored, so the record does not tell the code, and it
   * is right for both or for neither.
   */
  readonly codeHash: string
}

const shape = defineStoredShape<StoredCode>({
  name: 'sign-in code',
  members: { codeHash: isStoredText, accountId: isStoredText, epoch: isStoredCount },
})

const kind = 'mailcode'
const triesAtMost = 5
/** In lifetimes: tries may come before the code is stored, which happens when its mail is written. */
const triesCountedFor = 2
const digits = 8

export interface SignInCodesOptions {
  /** How long a code works. */
  readonly lifetimeSeconds: number
  readonly records: RecordStore
  /** Counts the tries. */
  readonly counters: CounterStore
  readonly now: () => number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

/** @throws TypeError if the store does not count parallel tries exactly. */
export function createSignInCodes({
  records,
  counters,
  now,
  storedVersion,
  lifetimeSeconds,
}: SignInCodesOptions): SignInCodes {
  if (counters.capabilities.consistency !== 'strong') {
    throw new TypeError('"signIn.emailCode" needs "counters" that are strongly consistent')
  }
  const lifetimeMs = lifetimeSeconds * 1000

  return {
    lifetimeSeconds,
    drawChallenge: () => createCredential(kind).text,
    async create(challenge, target) {
      const drawn = parseCredential(kind, challenge)
      if (!drawn) throw new TypeError('"challenge" must be one that was drawn')
      const code = drawCode()
      const stored = { ...target, codeHash: hashOf(code, drawn.secret) }
      const value = shape.format(stored, storedVersion())
      await insertFresh(records, { key: drawn.key, expiresAt: now() + lifetimeMs, value })
      return code
    },
    async test({ challenge, code }, target) {
      const shown = parseCredential(kind, challenge)
      if (!shown) return 'challenge-ended'
      const { count } = await counters.hit(`${kind}-tries:${shown.key}`, triesCountedFor * lifetimeMs)
      const record = await records.get(shown.key)
      if (count > triesAtMost) return 'challenge-ended'
      const outcome = compare(record, { secret: shown.secret, code, target, time: now() })
      if (outcome !== 'right-factor') return outcome
      return (await records.remove(shown.key)) ? 'right-factor' : 'factor-overtaken'
    },
  }
}

interface Compared {
  readonly secret: Uint8Array<ArrayBuffer>
  readonly code: string
  readonly target: CodeTarget | null
  readonly time: number
}

function compare(record: StoredRecord | null, { secret, code, target, time }: Compared): CodeOutcome {
  if (!record || record.expiresAt <= time) return 'challenge-ended'
  const stored = shape.parse(record.value)
  if (target?.accountId !== stored.accountId) return 'challenge-ended'
  if (target.epoch !== stored.epoch) return 'account-changed'
  const [right, given] = [stored.codeHash, hashOf(readTypedCode(code), secret)].map(decodeBase64url)
  return right && given && equalBytes(right, given) ? 'right-factor' : 'factor-wrong'
}

function hashOf(code: string, secret: Uint8Array<ArrayBuffer>): string {
  return encodeBase64url(hmacSha256(secret, `sign-in-code:${code}`))
}

/** Numbers beyond the largest multiple are drawn again, so that every code is as likely as any other. */
function drawCode(): string {
  const codes = 10 ** digits
  const bound = 2 ** 32 - (2 ** 32 % codes)
  for (;;) {
    const drawn = new DataView(randomBytes(4).buffer).getUint32(0)
    if (drawn < bound) return String(drawn % codes).padStart(digits, '0')
  }
}
