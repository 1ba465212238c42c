import type { AnyPolicy } from '@latchkey/rbac'
import type { Resolve } from './account-payloads.ts'

/** The kinds of second factors that a service offers. */
export interface OfferedFactors {
  readonly totp: boolean
  readonly passkeys: boolean
  /** Whether users may choose to remember a device. */
  readonly rememberedDevices: boolean
}

/** The changes that owners may make to their accounts. */
export interface OfferedLife {
  /** Their address. */
  readonly email: boolean
  /** Whether they have an account at all. */
  readonly deletion: boolean
}

/** The offers of the options that the schema depends on. */
export interface SchemaOffer {
  /** A field whose permission the policy does not name is omitted. */
  readonly policy: AnyPolicy
  readonly factors: OfferedFactors
  /** Accounts must have a second factor. */
  readonly isFactorRequired: boolean
  /** The directive of fields that are open before an account has the factor that it must have; empty if it needs none. */
  readonly before: '@beforeEnrollment' | ''
  /** Roles change while the service runs, so their names are not an enum. */
  readonly rolesChange: boolean
  readonly isAudited: boolean
  /** The service has an authorization server. */
  readonly hasClients: boolean
  /** Administrators act as other accounts. */
  readonly canImpersonate: boolean
  /** Programs act for accounts with keys. */
  readonly hasApiKeys: boolean
  /** The default lifetime of a key. */
  readonly apiKeyDays: number
  readonly life: OfferedLife
  readonly isCodeOffered: boolean
  readonly hasProviders: boolean
}

/** Types and fields with their rules and resolvers. */
export interface SchemaPart {
  readonly typeDefs: string
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, Resolve>>>>
}

/** Returns the part of a feature; `null`: the service does not offer it. */
export type FeatureSchema = (offer: SchemaOffer) => SchemaPart | null
