import { refuse } from '../responses/refusal.ts'
import { type Check, isVisible } from './check.ts'

const longest = 4096

/** Returns the `state` to send back, also with a refusal; `null`: the request has no valid state. */
export function readState({ get }: { get(name: string): string | null }): string | null {
  const state = get('state')
  return state !== null && isVisible(state, longest) ? state : null
}

export const checkState: Check<'state'> = ({ parameters }) => {
  const state = readState(parameters)
  return parameters.get('state') === state
    ? { state }
    : refuse('invalid_request', `"state" must have at most ${longest} visible ASCII characters.`)
}
