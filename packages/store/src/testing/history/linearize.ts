/** A call of a store, with its place among the starts and ends of all calls. */
export interface Operation {
  readonly caller: string
  readonly method: string
  readonly input: readonly unknown[]
  /** Undefined if the call failed or never answered. */
  readonly answer?: unknown
  readonly start: number
  /** `Infinity` if the call failed or never answered: it may have taken effect, or may do so at any later time. */
  readonly end: number
}

/** The contract as a machine that makes one call at a time. */
export interface SequentialModel<State> {
  readonly initial: State
  /** Returns the states after the call; none if the call cannot have given its answer in this state. */
  step(state: State, operation: Operation): readonly State[]
  /** Whether a call with this answer changes nothing in any state. */
  isRead(operation: Operation): boolean
}

const maxConfigurations = 200_000

/**
 * Returns whether one order of the calls explains every answer and keeps each call after those that ended before it
 * started: the search of Wing and Gong, with the configurations remembered as Lowe does. Throws if the search exceeds
 * its bound, because a history that is not checked proves nothing.
 */
export function isLinearizable<State>(
  history: readonly Operation[],
  model: SequentialModel<State>,
  bound: number = maxConfigurations,
): boolean {
  const seen = new Set<string>()
  const search = (left: readonly Operation[], state: State): boolean => {
    const firstEnd = left.reduce((least, { end }) => Math.min(least, end), Number.POSITIVE_INFINITY)
    if (firstEnd === Number.POSITIVE_INFINITY) return true
    const configuration = JSON.stringify([left.map(({ start }) => start), state])
    if (seen.has(configuration)) return false
    if (seen.size >= bound)
      throw new Error(`the history has too many orders to check: ${history.length} calls, over ${bound} configurations`)
    seen.add(configuration)
    const candidates = left.filter(({ start }) => start < firstEnd)
    // If an order explains all calls, so does the same order with this read at its beginning.
    const read = candidates.find((next) => model.isRead(next) && model.step(state, next).length > 0)
    return (read ? [read] : candidates).some((next) => {
      const others = left.filter((other) => other !== next)
      return model.step(state, next).some((after) => search(others, after))
    })
  }
  return search(history, model.initial)
}

/**
 * Returns the calls up to the first answer that no order explains, without those that are not needed to see it; null
 * if the history is linearizable. Reads change nothing, so the history may do without them.
 */
export function shortestFailure<State>(
  history: readonly Operation[],
  model: SequentialModel<State>,
): readonly Operation[] | null {
  if (isLinearizable(history, model)) return null
  const ends = history.map(({ end }) => end).filter(Number.isFinite)
  const last = ends.sort((left, right) => left - right).find((end) => !isLinearizable(upTo(history, end), model))
  let part = upTo(history, last ?? Number.POSITIVE_INFINITY)
  for (const operation of part.filter(model.isRead)) {
    const without = part.filter((other) => other !== operation)
    if (!isLinearizable(without, model)) part = without
  }
  return part
}

function upTo(history: readonly Operation[], end: number): readonly Operation[] {
  const started = history.filter(({ start }) => start < end)
  return started.map((operation) =>
    operation.end <= end ? operation : { ...operation, answer: undefined, end: Number.POSITIVE_INFINITY },
  )
}

/** Writes one call a line, in the order of their starts: caller, start and end, method, arguments, answer. */
export function describeHistory(history: readonly Operation[]): string {
  return [...history]
    .sort((left, right) => left.start - right.start)
    .map(({ caller, start, end, method, input, answer }) => {
      const call = `${method}(${input.map(shorten).join(', ')})`
      return end === Number.POSITIVE_INFINITY
        ? `  ${caller} [${start}–     ] ${call}: no answer yet`
        : `  ${caller} [${start}–${end}] ${call}: ${shorten(answer)}`
    })
    .join('\n')
}

function shorten(data: unknown): string {
  const text = JSON.stringify(data, (name, member: unknown) => {
    if (member === Number.POSITIVE_INFINITY) return 'Infinity'
    return (name === 'key' || name === 'owner') && typeof member === 'string' ? `${member.slice(0, 8)}…` : member
  })
  return text === undefined ? 'undefined' : text.length > 120 ? `${text.slice(0, 120)}…` : text
}
