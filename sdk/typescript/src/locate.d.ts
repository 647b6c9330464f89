// SPDX-License-Identifier: Apache-2.0
/** The URL of the file that holds this package's code, or undefined where a platform does not tell it; locate.js is written for each form of the package. */
export declare const base: string | undefined;
