import { refuse } from '../responses/refusal.ts'
import type { Check } from './check.ts'

/** The longest email address. */
const longest = 320

export const checkLoginHint: Check<'loginHint'> = ({ parameters }) => {
  const loginHint = parameters.get('login_hint')
  return loginHint === null || (loginHint.length <= longest && !/\p{C}/u.test(loginHint))
    ? { loginHint }
    : refuse('invalid_request', `"login_hint" must have at most ${longest} printable characters.`)
}
