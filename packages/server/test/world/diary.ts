import type { Message } from '@latchkey/accounts'
import type { ServerEvent } from '@latchkey/server'
import type { Answer } from '../support/visitor.ts'

/** What happened in a world: a line for each answer, mail and event, with its time. */
export interface Diary {
  readonly lines: string[]
  readonly mails: Message[]
  readonly events: ServerEvent[]
  readonly answers: Answer[]
  write(what: string, text: string): void
  answered(what: string, answer: Answer): void
  mailed(message: Message): void
  happened(event: ServerEvent): void
}

export function createDiary(now: () => number): Diary {
  const diary: Diary = {
    lines: [],
    mails: [],
    events: [],
    answers: [],
    write: (what, text) => void diary.lines.push(`${now()} ${what} ${text}`),
    answered(what, answer) {
      diary.answers.push(answer)
      const { status, headers, cookies, text } = answer
      diary.write(what, JSON.stringify([status, headers.get('retry-after'), cookies, text]))
    },
    mailed(message) {
      diary.mails.push(message)
      diary.write('mail', JSON.stringify(message))
    },
    happened(event) {
      diary.events.push(event)
      diary.write('event', JSON.stringify(event))
    },
  }
  return diary
}
