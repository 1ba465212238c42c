import type { HandStore } from '../sessions/session-by-hand.ts'
import type { OpenService } from './service-latchkey.ts'

type Open = (store: HandStore, place: string) => Promise<OpenService>

const latchkey =
  (maxStalenessSeconds: number): Open =>
  async (store, place) =>
    (await import('./service-latchkey.ts')).openLatchkeyService(store, place, maxStalenessSeconds)

const mercurius =
  (jit: boolean): Open =>
  async (store, place) =>
    (await import('./service-mercurius.ts')).openMercuriusService(store, place, jit)

/** The compared services. Each is a separate process that imports no code of the others. */
const services: Readonly<Record<ServiceName, Open>> = {
  latchkey: latchkey(0),
  'latchkey, one second old': latchkey(1),
  'Mercurius by hand': mercurius(false),
  'Mercurius JIT by hand': mercurius(true),
}

export type ServiceName = 'latchkey' | 'latchkey, one second old' | 'Mercurius by hand' | 'Mercurius JIT by hand'

export const serviceNames: readonly ServiceName[] = Object.keys(services) as ServiceName[]
export const handStores: readonly HandStore[] = ['memory', 'SQLite', 'PostgreSQL']

/** Returns whether a service is measured on a store: only PostgreSQL pushes revocations of cached identities. */
export function isMeasuredOn(name: ServiceName, store: HandStore): boolean {
  return name !== 'latchkey, one second old' || store === 'PostgreSQL'
}

/** The credentials of clients. */
export const credentials = ['anonymous', 'token', 'cookie'] as const
export type CredentialKind = (typeof credentials)[number]

export function isServiceName(name: string): name is ServiceName {
  return name in services
}

export function openService(name: ServiceName, store: HandStore, place: string): Promise<OpenService> {
  return services[name](store, place)
}

/** The name of a row. */
export function nameWay(name: ServiceName, store: HandStore, credential: CredentialKind): string {
  return `${name}, ${store}, ${credential}`
}
