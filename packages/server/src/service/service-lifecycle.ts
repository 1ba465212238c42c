import { AccessError } from '@latchkey/graphql'
import { openService, type Service } from './open-service.ts'
import type { ServicePlan } from './plan/service-plan.ts'

/** Opens once for all callers, and again after a failure; closes once. */
export interface ServiceLifecycle {
  open(): Promise<Service>
  /** Returns the service if it was opened, or `null`. */
  opened(): Promise<Service | null>
  close(): Promise<void>
}

export function createServiceLifecycle(plan: ServicePlan): ServiceLifecycle {
  let opening: Promise<Service> | null = null
  let closing: Promise<void> | null = null
  const opened = async (): Promise<Service | null> => (await opening?.catch(() => null)) ?? null
  const closeAll = async (): Promise<void> => {
    try {
      await (await opened())?.settle()
    } finally {
      await plan.options.stores.close?.()
    }
  }
  return {
    open() {
      if (closing) return Promise.reject(new AccessError('SERVICE_UNAVAILABLE', { message: shuttingDown }))
      opening ??= openService(plan).catch((error: unknown) => {
        opening = null
        throw error
      })
      return opening
    },
    opened,
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}

const shuttingDown = 'The service is shutting down. Try again later.'
