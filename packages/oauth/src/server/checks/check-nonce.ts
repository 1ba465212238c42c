import { refuse } from '../responses/refusal.ts'
import { type Check, isVisible } from './check.ts'

const longest = 512

export const checkNonce: Check<'nonce'> = ({ parameters }) => {
  const nonce = parameters.get('nonce')
  return nonce === null || isVisible(nonce, longest)
    ? { nonce }
    : refuse('invalid_request', `"nonce" must have at most ${longest} visible ASCII characters.`)
}
