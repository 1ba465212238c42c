import type { SecretKeys } from '@latchkey/bytes'

/** Where the root secrets of a service come from. Every key of the service is derived from them, each for one purpose. */
export interface SecretSource {
  /** Gives the secrets; asked once, when the service opens. The first one writes, every one reads. */
  load(): Promise<SecretKeys>
}
