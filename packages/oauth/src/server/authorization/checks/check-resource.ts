import { refuse } from '../../replies/refusal.ts'
import type { Check } from './check.ts'

/** RFC 8707 §2. */
export const checkResource: Check<'resources'> = ({ parameters }, context) => {
  const resources = [...new Set(parameters.all('resource'))]
  return resources.every((resource) => context.resources.includes(resource))
    ? { resources }
    : refuse('invalid_target', '"resource" is not one of this server')
}
