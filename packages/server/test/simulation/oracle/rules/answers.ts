import type { Rule } from '../../deeds/rule.ts'
import { limits } from '../../service/terms.ts'

/** While the stores do not answer, an operation fails within its bound. A change is finished or fails within a longer one. */
export const answeredInTime: Rule = ({ claims, outcome, waitedMs }) => {
  const isChange = claims.sets !== undefined || claims.revokes !== undefined
  const bound = outcome.kind === 'failed' && !isChange ? limits.outageMs : limits.answerMs
  return waitedMs > bound ? `its answer took more than ${bound} ms in which nothing else happened` : null
}
