"""The studio under hostile and careless programs: broken requests, frames and connections against a process of its own.

    make fuzz                                   100,000 requests and frames, 1,000 broken connections, some minutes
    make fuzz REQUESTS=5000 SEED=7              fewer, and the same ones again

What a run draws follows from its seed, which it prints. Mistakes it finds get a small test of their own beside what they
concern.
"""
