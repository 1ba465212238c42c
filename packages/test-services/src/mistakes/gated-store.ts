/** The mistakes of a store during an outage of its backend. */
export type OutageMistake =
  | 'answers null'
  | 'passes on errors'
  | 'tries again'
  | 'has no deadline'
  | 'is executed later'

/** A store on a backend that can fail, with the functions that the kits need. */
export interface GatedStore<Store> {
  readonly createStore: () => Store
  readonly unreachable: () => Store
  readonly freeze: () => void
  readonly thaw: () => void
  readonly deadlineMs: number
}

const deadlineMs = 50
/**
 * Shorter than the deadline, because a timer may fire early: a command whose caller has given up must not be executed.
 */
const notAfterMs = 40

/** Each mistake, and the test of every kit that finds it. */
export const outageMistakes: readonly (readonly [mistake: OutageMistake, fails: string])[] = [
  ['answers null', 'an unreachable backend is an outage to every method, never an answer'],
  ['passes on errors', 'an outage is a StoreError, not the error of the driver'],
  ['tries again', 'an unreachable backend is given up at the deadline'],
  ['has no deadline', 'a frozen backend is given up at the deadline'],
  ['is executed later', 'what was reported as failed is not executed when a frozen backend goes on'],
]

/**
 * Puts a store, or several stores as the members of an object, behind a backend that can be cut off and frozen. Without a
 * mistake it does what a store must.
 *
 * @param onlyMethod the method that makes the mistake; `null`: all of them do.
 */
export function createGatedStore<Store extends object>(
  store: Store,
  mistake: OutageMistake | null = null,
  onlyMethod: string | null = null,
): GatedStore<Store> {
  let frozen: PromiseWithResolvers<void> | null = null

  async function execute({ isCut, mistake, call }: GatedCall): Promise<unknown> {
    const isHeld = frozen !== null
    const sentAt = performance.now()
    await frozen?.promise
    if (isCut) throw new Error('connect ECONNREFUSED')
    const isLate = isHeld && performance.now() - sentAt >= notAfterMs
    if (isLate && mistake !== 'is executed later') throw new Error('the command came too late')
    return call()
  }

  async function guard(gated: GatedCall): Promise<unknown> {
    const { isCut, mistake } = gated
    if (isCut && mistake === 'tries again') return new Promise(() => {})
    // While the backend answers there is no deadline: machines may be slow, and it is not what is tested.
    const hasDeadline = (isCut || frozen !== null) && mistake !== 'has no deadline'
    try {
      const answer = execute(gated)
      return await (hasDeadline ? Promise.race([answer, late()]) : answer)
    } catch (cause) {
      return fail(gated, cause)
    }
  }

  const createClient = <Part extends object>(part: Part, isCut: boolean): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member === 'object' && member !== null) return createClient(member, isCut)
        if (typeof member !== 'function' || name === 'now') return member
        const made = onlyMethod === null || onlyMethod === name ? mistake : null
        return (...given: unknown[]) =>
          guard({ isCut, mistake: made, call: async () => Reflect.apply(member, target, given) })
      },
    })

  return {
    createStore: () => createClient(store, false),
    unreachable: () => createClient(store, true),
    freeze() {
      frozen ??= Promise.withResolvers<void>()
    },
    thaw() {
      frozen?.resolve()
      frozen = null
    },
    deadlineMs,
  }
}

interface GatedCall {
  readonly isCut: boolean
  readonly mistake: OutageMistake | null
  readonly call: () => Promise<unknown>
}

function fail({ isCut, mistake }: GatedCall, cause: unknown): null {
  if (isCut && mistake === 'answers null') return null
  if (mistake === 'passes on errors') throw cause
  const error = new Error('the backend failed', { cause })
  throw Object.assign(error, { name: 'StoreError', code: 'STORE_UNAVAILABLE' })
}

async function late(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, deadlineMs))
  throw new Error('no answer before the deadline')
}
