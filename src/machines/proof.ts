// The rules are in the core because the bridge signs by the same ones.
export {
  challengeText,
  enrolmentText,
  fingerprintOf,
  isPublicKey,
  verifyProof,
} from '../core/machine-proof.ts';
