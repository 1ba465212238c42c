import type { Service } from './open-service.ts'
import type { ServiceFoundation } from './service-foundation.ts'

/** What requests are answered from. */
export interface Site extends ServiceFoundation {
  /** Gives the service; opens it where nobody did before. */
  open(): Promise<Service>
}
