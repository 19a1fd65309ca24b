// Well-known accelerators, by the data sheets of their makers. Rates are dense: sheets of NVIDIA often give
// the ones with sparsity, which are twice as high. Memory and rates are decimal, as sheets have them. Plain data.
import type { HardwareFacts } from './floor-facts.ts';

/** PCI Express with 16 lanes, one direction, in GB/s. */
const PCIE_3 = 16;
const PCIE_4 = 32;
const PCIE_5 = 64;

/** GB and GB/s, TFLOP/s; the link is one direction, half of what sheets call the bandwidth of NVLink or Infinity Fabric. */
type Sheet = readonly [memory: number, bandwidth: number, link: number, flop: number, fp8Flop?: number];

function accelerator(name: string, source: string, [memory, bandwidth, link, flop, fp8Flop]: Sheet): HardwareFacts {
  return {
    name,
    memoryBytes: memory * 1e9,
    bytesPerSecond: bandwidth * 1e9,
    flopPerSecond: flop * 1e12,
    ...(fp8Flop !== undefined && { fp8FlopPerSecond: fp8Flop * 1e12 }),
    linkBytesPerSecond: link * 1e9,
    source,
  };
}

const A100 = 'https://www.nvidia.com/en-us/data-center/a100/';
const H100 = 'https://www.nvidia.com/en-us/data-center/h100/';
const ADA = 'https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf';
const AMPERE_GA102 = 'https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.1.pdf';

export const KNOWN_HARDWARE: readonly HardwareFacts[] = [
  accelerator('h100-sxm', H100, [80, 3350, 450, 989, 1979]),
  accelerator('h100-nvl', H100, [94, 3900, 300, 835, 1671]),
  accelerator(
    'h100-pcie',
    'https://www.nvidia.com/content/dam/en-zz/Solutions/gtcs22/data-center/h100/PB-11133-001_v01.pdf',
    [80, 2000, PCIE_5, 756, 1513],
  ),
  accelerator('h200-sxm', 'https://www.nvidia.com/en-us/data-center/h200/', [141, 4800, 450, 989, 1979]),
  // The sheet of the system with eight: 1,440 GB, 64 TB/s, 72 PFLOP/s of FP8 with sparsity.
  accelerator('b200-sxm', 'https://www.nvidia.com/en-us/data-center/dgx-b200/', [180, 8000, 900, 2250, 4500]),
  accelerator('a100-80gb-sxm', A100, [80, 2039, 300, 312]),
  accelerator('a100-80gb-pcie', A100, [80, 1935, PCIE_4, 312]),
  accelerator('a100-40gb-sxm', A100, [40, 1555, 300, 312]),
  accelerator('l40s', 'https://www.nvidia.com/en-us/data-center/l40s/', [48, 864, PCIE_4, 362, 733]),
  accelerator('l4', 'https://www.nvidia.com/en-us/data-center/l4/', [24, 300, PCIE_4, 121, 242]),
  accelerator('a10', 'https://www.nvidia.com/en-us/data-center/products/a10-gpu/', [24, 600, PCIE_4, 125]),
  // Computes with FP16, not BF16.
  accelerator('t4', 'https://www.nvidia.com/en-us/data-center/tesla-t4/', [16, 320, PCIE_3, 65]),
  // Tensor cores of GeForce cards are half as fast when they add up in FP32, which is what engines have them do.
  accelerator('rtx-4090', ADA, [24, 1008, PCIE_4, 165.2, 330.3]),
  accelerator('rtx-3090', AMPERE_GA102, [24, 936, PCIE_4, 71]),
  accelerator(
    'mi300x',
    'https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html',
    [192, 5300, 448, 1307.4, 2614.9],
  ),
  accelerator(
    'mi325x',
    'https://www.amd.com/en/products/accelerators/instinct/mi300/mi325x.html',
    [256, 6000, 448, 1307.4, 2614.9],
  ),
];
