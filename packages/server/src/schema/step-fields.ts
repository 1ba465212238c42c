import type { CredentialDelivery } from '../service/account-session/account-session.ts'
import type { SchemaOffer } from './schema-offer.ts'

/** The fields that both second steps request. A variable with the value `null` counts as omitted. */
export interface StepFields {
  readonly delivery: CredentialDelivery | null
  readonly trustDevice?: boolean | null
}

export function readStep({ delivery, trustDevice }: StepFields): {
  readonly delivery: CredentialDelivery
  readonly trustDevice: boolean
} {
  return { delivery: delivery ?? 'SESSION', trustDevice: trustDevice ?? false }
}

/** Returns the field of an input that asks to remember the device; empty if the service does not offer it. */
export function trustDeviceField({ factors }: Pick<SchemaOffer, 'factors'>): string {
  return factors.rememberedDevices ? trustDevice : ''
}

const trustDevice = /* GraphQL */ `
    "Whether later sign-ins with the password from this device skip the second factor. Ignored for a step-up or a recovery code."
    trustDevice: Boolean = false`

/** Returns the times of a factor in ISO 8601. */
export function toTimes({ createdAt, lastUsedAt }: { createdAt: number; lastUsedAt: number | null }): object {
  return {
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}
