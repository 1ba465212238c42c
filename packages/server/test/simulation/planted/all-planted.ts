import { type PlantedFault, plantedFaults } from './faults.ts'
import { plantedByAFifthHand } from './faults-of-a-fifth-hand.ts'
import { plantedByAFourthHand } from './faults-of-a-fourth-hand.ts'
import { plantedByASecondHand } from './faults-of-a-second-hand.ts'
import { plantedByASixthHand } from './faults-of-a-sixth-hand.ts'
import { plantedByAThirdHand } from './faults-of-a-third-hand.ts'
import { faultsOfOtherWays } from './faults-of-other-ways.ts'
import { plantedByOthers } from './faults-of-others.ts'
import { faultsOfSilence } from './faults-of-silence.ts'
import { faultsOfStreams } from './faults-of-streams.ts'

/** Every planted fault, by whom it was written. */
export const allPlanted: readonly PlantedFault[] = [
  ...plantedFaults,
  ...plantedByOthers,
  ...plantedByASecondHand,
  ...plantedByAThirdHand,
  ...plantedByAFourthHand,
  ...plantedByAFifthHand,
  ...plantedByASixthHand,
  ...faultsOfSilence,
  ...faultsOfStreams,
  ...faultsOfOtherWays,
]
