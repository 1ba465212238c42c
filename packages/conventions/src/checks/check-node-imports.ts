import type { House, Package } from '../house/house.ts'
import { type Exception, exceptions } from '../house/layers.ts'
import { portableSources } from '../house/portable-sources.ts'

/** Packages run wherever JavaScript runs: `node:*` stands only where nothing but Node.js can get to it. */
export function checkNodeImports(house: House, allowed: readonly Exception[] = exceptions): string[] {
  const places = allowed.filter(({ what }) => what === 'node').map(({ place }) => place)
  return house.packages.flatMap((one) => checkPackage(one, places))
}

function checkPackage(one: Package, places: readonly string[]): string[] {
  return portableSources(one)
    .filter(({ path }) => !places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place)))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('node:'))
        .map(({ specifier }) => `${path}: ${specifier} may be imported only below a ./node entry`),
    )
}
