import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Message } from '@latchkey/accounts'
import type { LinkSettings, Order, Question, Reply, Report } from './link-process.ts'

const program = fileURLToPath(new URL('link-process.ts', import.meta.url))
const processes = 4
/** So long before the moment at which all begin every process has its questions. */
const aheadMs = 60

/** Four processes of one service, with the mails of all of them, and what their answers keep to themselves. */
export class FourProcesses {
  readonly mails: Message[] = []
  readonly kept: string[] = []
  readonly #children: readonly ChildProcess[]
  #orders = 0

  constructor(settings: LinkSettings) {
    const execArgv = ['--conditions=@latchkey/source', '--no-warnings']
    this.#children = Array.from({ length: processes }, () => fork(program, [JSON.stringify(settings)], { execArgv }))
    for (const child of this.#children) {
      child.on('message', (said: Report) => {
        if (typeof said === 'object' && 'mail' in said) this.mails.push(said.mail)
        if (typeof said === 'object' && 'kept' in said) this.kept.push(said.kept)
      })
    }
  }

  async ready(): Promise<void> {
    await Promise.all(this.#children.map((child) => once(child, 'message')))
  }

  /** Asks all of them at one moment, each process every fourth, and returns the answers in the order of the questions. */
  async askAll(questions: readonly Question[]): Promise<readonly Reply[]> {
    const at = Date.now() + aheadMs
    const parts = await Promise.all(
      this.#children.map((_child, index) => {
        const part = questions.filter((_question, nth) => nth % processes === index)
        return this.#carryOut(index, { at, questions: part })
      }),
    )
    return questions.map((_question, nth) => parts[nth % processes]?.[Math.floor(nth / processes)] as Reply)
  }

  async ask(question: Question, index = 0): Promise<Reply> {
    const [reply] = await this.#carryOut(index, { at: 0, questions: [question] })
    return reply as Reply
  }

  async invite(email: string): Promise<void> {
    await this.#carryOut(0, { invite: email })
  }

  async close(): Promise<void> {
    const ended = this.#children.map((child) => once(child, 'exit'))
    for (const child of this.#children) child.disconnect()
    await Promise.all(ended)
  }

  #carryOut(index: number, order: WithoutId<Order>): Promise<readonly Reply[]> {
    const child = this.#children[index]
    if (!child) throw new Error('no such process')
    const id = ++this.#orders
    return new Promise((resolve, reject) => {
      const listen = (said: Report): void => {
        if (typeof said !== 'object' || !('id' in said) || said.id !== id) return
        child.off('message', listen)
        if (typeof said.replies === 'string') reject(new Error(said.replies))
        else resolve(said.replies)
      }
      child.on('message', listen)
      child.send({ ...order, id })
    })
  }
}

type WithoutId<Orders> = Orders extends Order ? Omit<Orders, 'id'> : never
