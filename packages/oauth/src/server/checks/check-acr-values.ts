import { acrValues as knownValues } from '../context/authentication.ts'
import type { Check } from './check.ts'

/** They are wishes (OpenID Connect Core §3.1.2.1): those that mean nothing here are left out. */
export const checkAcrValues: Check<'acrValues'> = ({ parameters }) => {
  const asked = parameters.get('acr_values')?.split(' ') ?? []
  return {
    acrValues: knownValues
      .filter((value) => asked.includes(value))
      .sort((one, other) => asked.indexOf(one) - asked.indexOf(other)),
  }
}
