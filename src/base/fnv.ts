// 32-bit FNV-1a over UTF-16 units or code points, one at a time. Equal texts give equal hashes; that different ones
// hardly ever do is all that is asked of it here.

export const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export function fnvStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, FNV_PRIME);
}
