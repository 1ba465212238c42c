import { createSealer, type SecretKeys } from '@latchkey/bytes'
import { createOneTimeCredentials, type RecordStore } from '@latchkey/store'
import type { Answer } from './answers.ts'

export interface PostedAnswersOptions {
  readonly records: RecordStore
  readonly secrets: SecretKeys
  readonly owner: readonly string[]
  readonly now: () => number
}

/** Posted answers, stored until the browser returns with its cookies. */
export interface PostedAnswers {
  /** Stores an answer for a minute and returns its handle. */
  keep(answer: Answer): Promise<string>
  /** Returns an answer to exactly one caller, or `null`. */
  take(handle: string | null): Promise<Answer | null>
}

const waitSeconds = 60

/** Creates the store of posted answers. They are sealed, because a code is a secret. */
export function createPostedAnswers({ records, secrets, owner, now }: PostedAnswersOptions): PostedAnswers {
  const handles = createOneTimeCredentials({ records, now, kind: 'op', ttlSeconds: waitSeconds })
  const sealer = createSealer({ secrets, purpose: 'oauth/posted-answer' })
  const context = JSON.stringify(owner)
  return {
    async keep(answer) {
      const box = await sealer.seal(new TextEncoder().encode(JSON.stringify(answer)), context)
      const { credential } = await handles.create({ owner: null, value: box })
      return credential
    },
    async take(handle) {
      const kept = await handles.read(handle)
      const plain = kept && (await sealer.open(kept.value, context))
      // An answer of another client is not consumed.
      if (!plain || !(await handles.consume(handle))) return null
      return JSON.parse(new TextDecoder().decode(plain))
    },
  }
}
