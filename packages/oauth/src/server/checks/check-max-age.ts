import { refuse } from '../responses/refusal.ts'
import type { Check } from './check.ts'

export const checkMaxAge: Check<'maxAgeSeconds'> = ({ parameters }) => {
  const text = parameters.get('max_age')
  if (text === null) return { maxAgeSeconds: null }
  return /^\d{1,9}$/.test(text)
    ? { maxAgeSeconds: Number(text) }
    : refuse('invalid_request', '"max_age" must be a whole number of seconds.')
}
