import type { Rule } from '../../deeds/rule.ts'
import { limits } from '../../service/terms.ts'

/** While the stores do not answer, an operation fails within its bound, or is finished within a longer one. */
export const answeredInTime: Rule = ({ outcome, waitedMs }) => {
  const bound = outcome.kind === 'failed' ? limits.outageMs : limits.answerMs
  return waitedMs > bound ? `its answer took more than ${bound} ms in which nothing else happened` : null
}
