// @internal: changes in any release.
export { checkLockouts, createFailureCounter, type FailureCounter } from './failure-counter.ts'
