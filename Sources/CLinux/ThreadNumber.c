#include "ThreadNumber.h"

#include <pthread.h>
#include <stdlib.h>

_Thread_local uint32_t thread_number_own;

static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error;
static uint32_t last;
static uint32_t *free_numbers;
static uint32_t free_count, free_capacity;

static void give_back(void *value) {
    thread_number_own = 0;
    pthread_mutex_lock(&registration);
    if (free_count == free_capacity) {
        uint32_t capacity = free_capacity ? free_capacity * 2 : 64;
        uint32_t *numbers = realloc(free_numbers, capacity * sizeof *numbers);
        // Without memory the number is lost, and later threads get larger ones.
        if (numbers) (free_numbers = numbers, free_capacity = capacity);
    }
    if (free_count < free_capacity) free_numbers[free_count++] = (uint32_t)(uintptr_t)value;
    pthread_mutex_unlock(&registration);
}

static void make_key(void) {
    key_error = pthread_key_create(&key, give_back);
}

uint32_t thread_number_take(void) {
    pthread_once(&once, make_key);
    pthread_mutex_lock(&registration);
    uint32_t number = free_count ? free_numbers[--free_count] : ++last;
    pthread_mutex_unlock(&registration);
    // A number that cannot be registered is not given to another thread either.
    if (key_error == 0) pthread_setspecific(key, (void *)(uintptr_t)number);
    thread_number_own = number;
    return number;
}
