import { refuse } from '../responses/refusal.ts'
import type { Check } from './check.ts'

/** As long as an address of e-mail can be. */
const longest = 320

export const checkLoginHint: Check<'loginHint'> = ({ parameters }) => {
  const loginHint = parameters.get('login_hint')
  return loginHint === null || (loginHint.length <= longest && !/\p{C}/u.test(loginHint))
    ? { loginHint }
    : refuse('invalid_request', `"login_hint" must have at most ${longest} printable characters.`)
}
