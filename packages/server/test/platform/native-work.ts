import { replaceMembers } from './replaced-members.ts'

// The one of the real platform, before timers are replaced.
const { setImmediate: nextTurn } = globalThis

/** Resolves in the next turn of the event loop, of real time. */
export const turn = (): Promise<void> => new Promise((resolve) => void nextTurn(resolve))

const names = ['encrypt', 'decrypt', 'sign', 'verify', 'digest', 'importKey', 'exportKey', 'deriveBits'] as const

/**
 * Web Crypto computes in threads, and the machine decides which answer comes first. Here they come in the order of the
 * questions, one in each turn.
 */
export function queueNativeWork() {
  let underWay = 0
  let last: Promise<unknown> = Promise.resolve()
  const inOrder = (name: (typeof names)[number]) => {
    const original = crypto.subtle[name].bind(crypto.subtle) as (...given: unknown[]) => Promise<unknown>
    return (...given: unknown[]): Promise<unknown> => {
      underWay++
      const mine = original(...given)
      mine.catch(() => undefined)
      const answer = last.then(() => mine).finally(() => underWay--)
      last = answer.then(turn, turn)
      return answer
    }
  }
  return {
    isUnderWay: () => underWay > 0,
    end: replaceMembers(crypto.subtle, Object.fromEntries(names.map((name) => [name, inOrder(name)]))),
  }
}
