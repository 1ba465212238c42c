// @internal: changes in any release.
export { collectBytes } from './collect-bytes.ts'
export { randomFraction } from './random.ts'
export { checkSecrets } from './secret-key.ts'
export { isSha256Of } from './sha256.ts'
