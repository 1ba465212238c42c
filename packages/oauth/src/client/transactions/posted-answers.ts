import { createSealer, type SecretKeys } from '@latchkey/bytes'
import { createOneTimeCredentials, type RecordStore } from '@latchkey/store'
import type { Answer } from './answers.ts'

export interface PostedAnswersOptions {
  readonly records: RecordStore
  readonly secrets: SecretKeys
  readonly owner: readonly string[]
  readonly now: () => number
}

/** Answers that a provider has posted: they wait for the browser to come back with its cookies. */
export interface PostedAnswers {
  /** Keeps an answer for a minute, and returns what it is known by. */
  keep(answer: Answer): Promise<string>
  /** Returns an answer to exactly one caller, or `null`. */
  take(handle: string | null): Promise<Answer | null>
}

const waitSeconds = 60

/** Creates a place for posted answers. They are sealed, because a code is a secret. */
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
      // One of another client stays there for that one.
      if (!plain || !(await handles.consume(handle))) return null
      return JSON.parse(new TextDecoder().decode(plain))
    },
  }
}
