import type { RuleVerdict } from './decide-rule.ts'

const refusing: readonly RuleVerdict[] = [
  'forbidden',
  'unenrolled',
  'impersonated',
  'api-key',
  'own-pages',
  'out-of-scope',
]

/** Whether a verdict is 403 for any proven factor. */
export function isRefused(verdict: RuleVerdict): boolean {
  return refusing.includes(verdict)
}
